/**
 * The colours and fonts of every page we render, as CSS variables. A colour of text has a contrast of at least 4.5:1 on each
 * ground it stands on, in both colour schemes.
 */
export const tokens = `
:root {
  color-scheme: light dark;
  --page: #ffffff;
  --side: #f7f7f4;
  --panel: #f4f4f0;
  --line: #e0e0d9;
  --ink: #20221f;
  --soft: #5a5e57;
  --accent: #0a6650;
  --info: #0b5794; --info-ground: #e3f0fb;
  --good: #17662f; --good-ground: #e2f4e6;
  --warn: #8a4b00; --warn-ground: #fcf0dc;
  --other: #6b3fa0; --other-ground: #f1eafa;
  --bad: #a3232b; --bad-ground: #fce8e8;
  --shell: #1d2220;
  --shell-ink: #e4ebe7;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  --gap: clamp(1.125rem, 4vw, 3rem);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #141716;
    --side: #191d1b;
    --panel: #1e2321;
    --line: #323835;
    --ink: #e3e7e4;
    --soft: #9da59f;
    --accent: #62d0ae;
    --info: #8cc4f5; --info-ground: #142c40;
    --good: #84d69a; --good-ground: #143120;
    --warn: #efbd74; --warn-ground: #38280f;
    --other: #c9aef0; --other-ground: #2c2140;
    --bad: #f5a0a2; --bad-ground: #401c1e;
    --shell: #0d100f;
  }
}
`.trim()
