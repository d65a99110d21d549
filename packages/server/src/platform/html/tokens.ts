/**
 * The colours and fonts of every page we render, as CSS variables. A colour of text has a contrast of at least 4.5:1 on each
 * ground it stands on, in both colour schemes. They are those of the dashboard (packages/web/src/app/tokens.css), which a test of
 * its own compares; these pages work without it.
 */
export const tokens = `
:root {
  color-scheme: light dark;
  --page: #ffffff;
  --side: #f6f6f8;
  --panel: #f1f2f6;
  --line: #e4e5eb;
  --ink: #15161b;
  --soft: #555864;
  --accent: #3e4dcb;
  --info: #0a62b9; --info-ground: #e6f1fd;
  --good: #17703c; --good-ground: #e5f6ec;
  --warn: #8a5200; --warn-ground: #fff2da;
  --other: #3e4dcb; --other-ground: #eaecfc;
  --bad: #b82634; --bad-ground: #fdecee;
  --shell: #15161b;
  --shell-ink: #eceef3;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  --gap: clamp(1.125rem, 4vw, 3rem);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14151b;
    --side: #0d0e12;
    --panel: #1c1e27;
    --line: #262932;
    --ink: #eceef3;
    --soft: #a5a8b5;
    --accent: #a3adff;
    --info: #6ab4ff; --info-ground: #11273f;
    --good: #6bd398; --good-ground: #11301e;
    --warn: #f2b955; --warn-ground: #2b210e;
    --other: #a3adff; --other-ground: #1f2342;
    --bad: #ff8b92; --bad-ground: #3a181d;
    --shell: #0d0e12;
  }
}
`.trim()
