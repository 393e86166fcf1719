"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const specs = read("specs");
  const config = read("config");
  const drawn = new Map();

  // Panels side by side share the width; where that is small, fewer stand in a row.
  const fit = (view, width, room) => {
    const least = 210;
    const share = (wanted, spacing) => {
      view.columns = Math.max(1, Math.min(wanted, Math.floor(room / least)));
      return Math.max((width - spacing * (view.columns - 1)) / view.columns, 40);
    };
    if (view.vconcat) {
      for (const part of view.vconcat) fit(part, width, room);
    } else if (view.concat) {
      const each = share(view.columns, 18);
      for (const part of view.concat) {
        part.width = each;
        if (view.usermeta?.square) part.height = each;
      }
    } else if (view.facet) {
      view.spec.width = share(view.columns, view.spacing);
    } else {
      view.width = width;
    }
  };

  // Long names stand in fewer columns: a legend wider than its curves would squeeze them.
  const series = (view) => [
    ...(view.encoding?.color?.scale?.domain ?? []),
    ...(view.layer ?? view.vconcat ?? view.concat ?? []).flatMap(series),
    ...(view.spec ? series(view.spec) : []),
  ];
  const columnsOfLegend = (spec, room) => {
    const letters = Math.min(Math.max(1, ...series(spec).map((name) => String(name).length)), 46);
    const usual = room < 420 ? 1 : room < 780 ? 2 : 4;
    return Math.max(1, Math.min(usual, Math.floor(room / (7 * letters + 26))));
  };

  // Colors are CSS variables, so light, dark and print need no new drawing; width does.
  const themed = (spec, width, room) => {
    const sized = structuredClone(spec);
    fit(sized, width, room);
    sized.config = structuredClone(config);
    sized.config.legend.columns = columnsOfLegend(spec, room);
    return sized;
  };

  const embed = async (box, width, room) => {
    const before = drawn.get(box);
    if (before) before.finalize();
    const result = await vegaEmbed(box, themed(specs[box.dataset.chart], width, room), {
      actions: false,
      renderer: "svg",
      defaultStyle: false,
      tooltip: { theme: "custom", disableDefaultStyle: true },
    });
    drawn.set(box, result);
    const picture = box.querySelector("svg");
    picture.setAttribute("aria-hidden", "true");
    return picture.width.baseVal.value;
  };

  // Axis labels take a width known only once drawn: draw, measure, draw to fit.
  const draw = async (box) => {
    const room = Math.floor(box.clientWidth);
    if (!room || box.dataset.room === String(room)) return;
    box.dataset.room = String(room);
    const guess = Math.max(room - 70, 120);
    const over = (await embed(box, guess, room)) - room;
    if (Math.abs(over) > 1) await embed(box, Math.max(guess - over, 120), room);
    box.dataset.drawn = "yes";
  };

  const fail = (box, error) => {
    box.textContent = "This chart could not be drawn (" + error.message + "). Its table follows.";
  };

  const drawAll = async () => {
    for (const box of document.querySelectorAll(".chart")) {
      await draw(box).catch((error) => fail(box, error));
    }
    document.documentElement.dataset.charts = "drawn";
  };

  let waiting = 0;
  let drawing = drawAll();
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      drawing = drawing.then(drawAll);
    }, 200);
  });
  // A link to launches leads into a closed list: not every browser opens it by itself.
  const reveal = () => {
    const aim = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    const list = aim && aim.closest("details");
    if (!list || list.open) return;
    list.open = true;
    aim.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
