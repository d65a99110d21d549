import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tokens } from '../../../server/src/platform/html/tokens.ts'

/** The names of the dashboard for the colours of the pages that the server renders itself. */
const names = {
  page: 'surface',
  side: 'canvas',
  panel: 'hover',
  line: 'line',
  ink: 'text',
  soft: 'muted',
  accent: 'accent-text',
  info: 'running',
  'info-ground': 'running-soft',
  good: 'ok',
  'good-ground': 'ok-soft',
  warn: 'needs',
  'warn-ground': 'needs-soft',
  other: 'accent-text',
  'other-ground': 'selected',
  bad: 'failed',
  'bad-ground': 'failed-soft',
}

const css = readFileSync(new URL('../../src/app/tokens.css', import.meta.url), 'utf8')

function ofDashboard(name: string): (string | undefined)[] {
  const [, light, dark] = new RegExp(`--color-${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css) ?? []
  return [light, dark]
}

test('the pages of the server and the dashboard have the same colours, in both themes', () => {
  const [light = '', dark = ''] = tokens.split('@media')
  const valueIn = (block: string, name: string) => new RegExp(`--${name}: (#\\w+);`).exec(block)?.[1]
  const ofServer = Object.fromEntries(
    Object.keys(names).map((name) => [name, [valueIn(light, name), valueIn(dark, name)]]),
  )
  expect(ofServer).toEqual(Object.fromEntries(Object.entries(names).map(([name, other]) => [name, ofDashboard(other)])))
})

test('every colour of text has a contrast of at least 4.5:1 on every ground it stands on, in both themes', () => {
  const grounds = ['surface', 'canvas', 'hover', 'raised', 'selected']
  const pairs = [
    ...['text', 'muted', 'accent-text'].flatMap((ink) => grounds.map((ground) => [ink, ground])),
    ...['surface', 'canvas', 'hover', 'raised'].map((ground) => ['faint', ground]),
    ...['running', 'needs', 'failed', 'ok'].flatMap((ink) =>
      ['surface', 'canvas', 'hover', `${ink}-soft`].map((ground) => [ink, ground]),
    ),
  ]
  const faint = pairs.flatMap(([ink = '', ground = '']) =>
    [0, 1].flatMap((theme) => {
      const ratio = contrast(ofDashboard(ink)[theme], ofDashboard(ground)[theme])
      return ratio < 4.5 ? [`${ink} on ${ground}, ${theme === 0 ? 'light' : 'dark'}: ${ratio.toFixed(2)}`] : []
    }),
  )
  expect(faint).toEqual([])
})

function contrast(one = '', other = ''): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** As WCAG defines it. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
