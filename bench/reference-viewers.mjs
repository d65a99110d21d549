import { createReadStream, existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { benchKey, startBenchHost } from './support/host.mjs'

/**
 * The page at /docs beside maintained OpenAPI viewers, in a real Chromium, under a policy without inline scripts, inline
 * styles or eval. docs/decisions/0031 has the figures. Not part of `npm run bench`: it needs packages that Yardmaster does
 * not depend on.
 *
 *   mkdir /tmp/viewers && (cd /tmp/viewers && npm init -y && npm install --ignore-scripts playwright-core swagger-ui-dist rapidoc redoc @scalar/api-reference)
 *   CHROMIUM=$(command -v chromium) node bench/reference-viewers.mjs /tmp/viewers
 */
const [folder = '', screenshots] = process.argv.slice(2)
if (!existsSync(join(folder, 'node_modules/playwright-core'))) {
  console.error('usage: node bench/reference-viewers.mjs <folder with the viewers> [folder for screenshots]')
  process.exit(1)
}
const { chromium } = createRequire(`${resolve(folder)}/`)('playwright-core')
const rounds = 3
const timeoutMs = 60_000

const strict = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
].join('; ')
const withInlineStyles = strict.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")

/** Each as its own documentation says, with the script in a file of its own. */
const viewers = {
  'swagger-ui': {
    files: { 'a.css': 'swagger-ui-dist/swagger-ui.css', 'a.js': 'swagger-ui-dist/swagger-ui-bundle.js' },
    body: '<div id="ui"></div>',
    script: "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#ui', deepLinking: true })",
  },
  rapidoc: {
    files: { 'a.js': 'rapidoc/dist/rapidoc-min.js' },
    body: '<rapi-doc spec-url="/openapi.json" render-style="read" load-fonts="false" allow-try="false"></rapi-doc>',
    script: '',
  },
  redoc: {
    files: { 'a.js': 'redoc/bundles/redoc.standalone.js' },
    body: '<div id="ui"></div>',
    script: "Redoc.init('/openapi.json', { disableSearch: false }, document.getElementById('ui'))",
  },
  scalar: {
    files: { 'a.js': '@scalar/api-reference/dist/browser/standalone.js' },
    body: '<div id="ui"></div>',
    script:
      "Scalar.createApiReference('#ui', { url: '/openapi.json', withDefaultFonts: false, telemetry: false, agent: { disabled: true } })",
  },
}

const { host, stop } = await startBenchHost()
try {
  const answer = await fetch(`${host.web.url}/api/v1/openapi.json`, { headers: { 'x-api-key': benchKey } })
  const document = await answer.text()
  const table = []
  const add = async (name, url) => {
    table.push(await measure(name, url, document))
    console.log(JSON.stringify(table.at(-1)))
  }
  await add('ours', `${host.web.url}/docs`)
  for (const name of Object.keys(viewers)) {
    for (const [policy, label] of [
      [strict, `${name}, strict`],
      [withInlineStyles, `${name}, inline styles allowed`],
    ]) {
      const server = await serve(viewers[name], document, policy)
      await add(label, server.url)
      await server.close()
    }
  }
  console.table(Object.fromEntries(table.map(({ name, ...figures }) => [name, figures])))
} finally {
  await stop()
}

async function measure(name, url, document) {
  const visits = []
  for (let round = 0; round < rounds; round += 1)
    visits.push(await inBrowser((browser) => visit(browser, url, document)))
  const finished = visits.filter((figures) => figures !== undefined).sort((a, b) => a.completeMs - b.completeMs)
  if (screenshots) await inBrowser((browser) => takeScreenshots(browser, name, url))
  return {
    name,
    finished: `${finished.length} of ${rounds}`,
    ...finished[Math.floor(finished.length / 2)],
    'works without script': await inBrowser((browser) => worksWithoutScript(browser, url, document)),
  }
}

/** A browser of its own for each piece of work, ended when time is up: some viewers keep the page busy for minutes. */
async function inBrowser(work) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] })
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    void browser.close()
  }, timeoutMs)
  try {
    return await work(browser)
  } catch (error) {
    if (!isTimedOut) throw error
    return undefined
  } finally {
    clearTimeout(timer)
    await browser.close()
  }
}

/** One visit with an empty cache. */
async function visit(browser, url, document) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  let bytes = 0
  let gzipped = 0
  let requests = 0
  const bodies = []
  page.on('response', (response) => {
    if (response.url().endsWith('/favicon.ico')) return
    requests += 1
    bodies.push(
      response.body().then(
        (body) => {
          bytes += body.length
          gzipped += gzipSync(body).length
        },
        () => {},
      ),
    )
  })
  await page.addInitScript(() => {
    globalThis.violations = []
    globalThis.addEventListener('securitypolicyviolation', (event) =>
      globalThis.violations.push(event.effectiveDirective),
    )
  })
  const started = performance.now()
  await page.goto(url)
  const wanted = lastSummary(document)
  const isComplete = await page
    .waitForFunction(hasText, wanted, { timeout: 10_000, polling: 20 })
    .then(() => true)
    .catch(() => false)
  const completeMs = Math.round(performance.now() - started)
  const figures = await page.evaluate(() => ({
    firstContentMs: Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1),
    violations: globalThis.violations.length,
    directives: [...new Set(globalThis.violations)].join(' '),
    heapMB: Math.round(performance.memory.usedJSHeapSize / 1e6),
  }))
  await Promise.all(bodies)
  const text = await page.evaluate(allText)
  await context.close()
  return {
    requests,
    kB: Math.round(bytes / 1000),
    gzippedKB: Math.round(gzipped / 1000),
    firstContentMs: figures.firstContentMs,
    completeMs: isComplete ? completeMs : Number.POSITIVE_INFINITY,
    violations: figures.violations,
    directives: figures.directives,
    heapMB: figures.heapMB,
    'fields found by Ctrl+F': foundFields(text, document),
  }
}

/** Of the names of all the fields in request bodies and parameters, how many stand on the page. */
function foundFields(text, document) {
  const names = new Set()
  for (const methods of Object.values(JSON.parse(document).paths))
    for (const { parameters = [], requestBody } of Object.values(methods)) {
      for (const { name } of parameters) names.add(name)
      for (const name of Object.keys(requestBody?.content['application/json']?.schema?.properties ?? {}))
        names.add(name)
    }
  const found = [...names].filter((name) => text.includes(name))
  return `${found.length} of ${names.size}`
}

function lastSummary(document) {
  const operations = Object.values(JSON.parse(document).paths).flatMap((methods) => Object.values(methods))
  return operations.at(-1).summary.replaceAll('`', '')
}

/** Runs in the page. Looks into shadow roots, where some viewers keep their text. */
function allText() {
  const textOf = (root) =>
    [...root.querySelectorAll('*')].reduce(
      (text, element) => (element.shadowRoot ? text + textOf(element.shadowRoot) : text),
      root instanceof ShadowRoot
        ? [...root.children].map((child) => child.innerText ?? '').join('\n')
        : globalThis.document.body.innerText,
    )
  return textOf(globalThis.document)
}

/** Runs in the page. */
function hasText(wanted) {
  const holds = (root) =>
    (root.textContent ?? root.body?.textContent ?? '').includes(wanted) ||
    [...root.querySelectorAll('*')].some((element) => element.shadowRoot && holds(element.shadowRoot))
  return holds(globalThis.document.body)
}

async function worksWithoutScript(browser, url, document) {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(url)
  const text = await page.locator('body').innerText()
  await context.close()
  return text.includes(lastSummary(document))
}

async function takeScreenshots(browser, name, url) {
  mkdirSync(screenshots, { recursive: true })
  for (const colorScheme of ['light', 'dark'])
    for (const [width, height] of [
      [1680, 1000],
      [390, 844],
    ]) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height } })
      const page = await context.newPage()
      await page.goto(url)
      await page.waitForTimeout(3000)
      await page.screenshot({ path: `${screenshots}/${name.replaceAll(/[ ,]+/g, '-')}-${colorScheme}-${width}.png` })
      await context.close()
    }
}

async function serve({ files, body, script }, document, policy) {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>API</title>${'a.css' in files ? '<link rel="stylesheet" href="/a.css">' : ''}</head><body>${body}<script src="/a.js"></script>${script ? '<script src="/start.js"></script>' : ''}</body></html>`
  const server = createServer((request, response) => {
    response.setHeader('content-security-policy', policy)
    const path = request.url.slice(1)
    if (path === '') return response.setHeader('content-type', 'text/html').end(page)
    if (path === 'start.js') return response.setHeader('content-type', 'text/javascript').end(script)
    if (path === 'openapi.json') return response.setHeader('content-type', 'application/json').end(document)
    const file = files[path]
    if (!file) return response.writeHead(404).end()
    response.setHeader('content-type', path.endsWith('.css') ? 'text/css' : 'text/javascript')
    createReadStream(join(folder, 'node_modules', file)).pipe(response)
  })
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  }
}
