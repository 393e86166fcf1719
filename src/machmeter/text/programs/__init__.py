"""Programs that are not ours as text: what their descriptions say."""
