"""`python -m machmeter` is the command `machmeter`."""

from machmeter.cli.main import main

if __name__ == "__main__":
    main()
