export type Line = { name: string; colour: string; values: (number | null)[] };
/** A part of the time, drawn behind the lines. `style` is a CSS class. */
export type Band = { from: number; to: number; name: string; style: string };
export type Plot = {
  title: string;
  unit: string;
  times: number[];
  lines: Line[];
  marks: { at: number; name: string }[];
  bands: Band[];
};

const [width, height, left, bottom, top] = [560, 170, 48, 20, 8];

/**
 * Renders lines over minutes as SVG. A missing value breaks its line. A fault is a dashed vertical
 * line with the name of the fault as its title. Bands are attacks and the time of the faults.
 */
export function svgOf({ title, unit, times, lines, marks, bands }: Plot): string {
  const [from = 0, to = 1] = [times[0], times.at(-1)];
  const max = roundUp(Math.max(1, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const x = (at: number) => left + ((at - from) / Math.max(1, to - from)) * (width - left - 8);
  const y = (value: number) => height - bottom - (value / max) * (height - bottom - top);
  const grid = [0, 0.5, 1].map((part) => {
    const at = y(part * max).toFixed(1);
    return `<line x1="${left}" x2="${width - 8}" y1="${at}" y2="${at}" class="grid"/><text x="${left - 6}" y="${Number(at) + 4}" text-anchor="end">${compactNumber(part * max)}</text>`;
  });
  const minutes = (to - from) / 60_000;
  const every = Math.max(0.5, Math.ceil(minutes / 10));
  const ticks = Array.from({ length: Math.floor(minutes / every) + 1 }, (_, n) => n * every).map(
    (minute) =>
      `<text x="${x(from + minute * 60_000).toFixed(1)}" y="${height - 5}" text-anchor="middle">${minute}′</text>`,
  );
  const faultLines = marks.map(
    ({ at, name }) =>
      `<line x1="${x(at).toFixed(1)}" x2="${x(at).toFixed(1)}" y1="${top}" y2="${height - bottom}" class="fault"><title>${escaped(name)}</title></line>`,
  );
  const areas = bands.map(({ from: start, to: end, name, style }) => {
    const [left, right] = [Math.max(from, start), Math.min(to, end)].map(x) as [number, number];
    const size = `width="${Math.max(0, right - left).toFixed(1)}" height="${height - bottom - top}"`;
    return `<rect x="${left.toFixed(1)}" y="${top}" ${size} class="${style}"><title>${escaped(name)}</title></rect>`;
  });
  const paths = lines.map(
    ({ values, colour }) =>
      `<path d="${pathOf(values, times, x, y)}" fill="none" stroke="${colour}" stroke-width="1.4"/>`,
  );
  const legend = lines
    .map(({ name, colour }) => `<span><i style="background:${colour}"></i>${escaped(name)}</span>`)
    .join('');
  return `<figure><figcaption><b>${escaped(title)}</b> <small>${escaped(unit)}</small> ${lines.length > 1 ? legend : ''}</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">${[...areas, ...grid, ...ticks, ...faultLines, ...paths].join('')}</svg></figure>`;
}

function pathOf(
  values: readonly (number | null)[],
  times: readonly number[],
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  let pen = 'M';
  return values
    .map((value, index) => {
      if (value === null) {
        pen = 'M';
        return '';
      }
      const step = `${pen}${x(times[index] ?? 0).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = 'L';
      return step;
    })
    .join('');
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

const compactNumber = (value: number): string =>
  value >= 1_000 ? `${Number((value / 1_000).toFixed(1))}k` : String(Number(value.toFixed(1)));

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
