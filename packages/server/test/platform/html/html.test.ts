import { describe, expect, test } from 'vitest'
import { html } from '../../../src/platform/html/html.ts'
import { renderPage } from '../../../src/platform/html/page.ts'
import { actionForm, badge, facts, table } from '../../../src/platform/html/parts.ts'

const hostile = `"><script>alert('x')</script>&`
const escaped = '&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#38;'

describe('the html template', () => {
  test('the html template escapes every value in text and in attributes, and nothing that it made itself', () => {
    expect(html`<p title="${hostile}">${html`<b>${hostile}</b>`}${[1, undefined, false]}</p>`.toString()).toBe(
      `<p title="${escaped}"><b>${escaped}</b>1</p>`,
    )
  })

  test('a page with hostile text in every part holds no tag of that text', () => {
    const body = html`${table([hostile], [[hostile]])}${facts([[hostile, hostile]])}${badge(hostile, 'bad')}${actionForm(
      {
        action: hostile,
        button: hostile,
        fields: [{ name: hostile, label: hostile, value: hostile, hint: hostile }],
        hidden: { [hostile]: hostile },
        isDangerous: true,
      },
    )}`
    const page = renderPage({ title: hostile, lead: hostile, body, refreshSeconds: 30 })
    expect(page).not.toContain('<script')
    expect(page.split(escaped).length - 1).toBe(16)
  })

  test('every page leads back to the dashboard', () => {
    expect(renderPage({ title: 'Jobs', body: html`` })).toContain('<a href="/">Dashboard</a>')
  })
})
