import { describe, expect, test } from 'vitest'
import { openRedaction } from '../../../src/platform/redaction/redaction.ts'
import { keyFence } from './key-fence.ts'
import { seeded } from './seeded.ts'

const random = seeded(11)
const forgeToken = `gh${'p_'}${random.alnum(36)}`
const redactor = openRedaction({ known: () => [] })

describe('free text', () => {
  test('a token is replaced by a marker with its label', () => {
    expect(redactor.redact(`push with ${forgeToken}, please`)).toBe('push with [REDACTED:FORGE_TOKEN], please')
  })

  test('names and framing stay readable', () => {
    const secret = random.alnum(24)

    expect(redactor.redact(`DB_PASSWORD=${secret}`)).toBe('DB_PASSWORD=[REDACTED:ENV_SECRET]')
    expect(redactor.redact(`Authorization: Bearer ${secret}`)).toBe('Authorization: Bearer [REDACTED:BEARER_TOKEN]')
    expect(redactor.redact(`postgres://app:${secret}@db:5432/app`)).toBe(
      'postgres://app:[REDACTED:DB_CONNECTION_STRING]@db:5432/app',
    )
    expect(redactor.redact(`https://ada:${secret}@forge.test/a.git`)).toBe(
      'https://ada:[REDACTED:URL_CREDENTIALS]@forge.test/a.git',
    )
    expect(redactor.redact(`X-Api-Key: ${secret}`)).toBe('X-Api-Key: [REDACTED:API_KEY_HEADER]')
    expect(redactor.redact(`machine forge.test login ada password ${secret}`)).toBe(
      'machine forge.test login ada password [REDACTED:NETRC_PASSWORD]',
    )
    expect(redactor.redact(`Set-Cookie: sid=${secret}; Path=/`)).toBe('Set-Cookie: sid=[REDACTED:COOKIE]; Path=/')
  })

  test('a match of several rules gets the most specific label', () => {
    expect(redactor.redact(`GITHUB_TOKEN=${forgeToken}`)).toBe('GITHUB_TOKEN=[REDACTED:FORGE_TOKEN]')
    expect(redactor.redact(`https://x-access-token:${forgeToken}@forge.test/a`)).toBe(
      'https://x-access-token:[REDACTED:FORGE_TOKEN]@forge.test/a',
    )
  })

  test('a secret is found directly after a colour code, and across one', () => {
    expect(redactor.redact(`\u001b[32m${forgeToken}\u001b[0m`)).toBe('\u001b[32m[REDACTED:FORGE_TOKEN]\u001b[0m')
    expect(redactor.redact(`${forgeToken.slice(0, 9)}\u001b[1m${forgeToken.slice(9)} end`)).toBe(
      '[REDACTED:FORGE_TOKEN] end',
    )
  })

  test('a secret is found after a written-out line break', () => {
    expect(redactor.redact(`'one\\n${forgeToken}\\ntwo'`)).toBe("'one\\n[REDACTED:FORGE_TOKEN]\\ntwo'")
  })

  test('base64 of a secret is replaced as a whole, line by line', () => {
    const said = Buffer.from(`PORT=3000\nTOKEN=${forgeToken}\nLOG_LEVEL=info\n`).toString('base64')
    const wrapped = said.replace(/.{64}/g, '$&\n')

    expect(redactor.redact(`echo ${said} | base64 -d`)).toBe('echo [REDACTED:FORGE_TOKEN] | base64 -d')
    expect(redactor.redact(wrapped).split('\n')).toEqual(['[REDACTED:FORGE_TOKEN]', '[REDACTED:FORGE_TOKEN]'])
  })

  test('a secret longer than the bound of its rule is replaced to its end', () => {
    const long = `gh${'p_'}${random.alnum(900)}`

    expect(redactor.redact(`<${long}>`)).toBe('<[REDACTED:FORGE_TOKEN]>')
  })

  test('redaction keeps the line breaks of free text', () => {
    const key = privateKey('\n')
    const redacted = redactor.redact(`before\n${key}\nafter`)

    expect(redacted.split('\n')).toHaveLength(`before\n${key}\nafter`.split('\n').length)
    expect(redacted).not.toMatch(/[A-Za-z0-9+/]{40}/)
    expect(redacted.startsWith('before\n[REDACTED:PRIVATE_KEY]\n')).toBe(true)
    expect(redacted.endsWith('\n[REDACTED:PRIVATE_KEY]\nafter')).toBe(true)
  })

  test.each([
    ['line numbers', (line: string, index: number) => `${String(index + 1).padStart(4)}\u2192${line}`],
    ['diff signs', (line: string) => `+${line}`],
    ['quotation marks', (line: string) => `> ${line}`],
    ['comment signs', (line: string) => `# ${line}`],
  ])('a private key with %s before each line keeps these prefixes', (_, prefix) => {
    const lines = privateKey('\n').split('\n')

    expect(redactor.redact(lines.map(prefix).join('\n'))).toBe(
      lines.map((_line, index) => prefix('[REDACTED:PRIVATE_KEY]', index)).join('\n'),
    )
  })

  test('a truncated private key is still replaced', () => {
    const cut = privateKey('\n').split('\n').slice(0, 4).join('\n')

    expect(redactor.redact(`${cut}\n[output truncated]`)).toBe(
      `${Array(4).fill('[REDACTED:PRIVATE_KEY]').join('\n')}\n[output truncated]`,
    )
  })

  test('a private key in one line becomes one marker', () => {
    expect(redactor.redact(`KEY="${privateKey('\\n')}"`)).toBe('KEY="[REDACTED:PRIVATE_KEY]"')
  })
})

describe('a line of a transcript', () => {
  test('redaction changes only the content of strings in a line of a transcript', () => {
    const line = `{ "n": 12345678901234567890,"f":1.0, "a":1,"a":2, "__proto__": {"x":"\\u0041\\/"}, "t":"see ${forgeToken}" }`

    expect(redactor.redact(line)).toBe(line.replace(forgeToken, '[REDACTED:FORGE_TOKEN]'))
  })

  test('a line without secrets is returned unchanged', () => {
    const line = '{"type":"assistant","message":{"content":[{"type":"text","text":"Done. \\u00fc \\ud83d\\ude00"}]}}'

    expect(redactor.redact(line)).toBe(line)
  })

  test('a secret written with escapes is found in its decoded form', () => {
    const escaped = [...forgeToken].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')

    expect(redactor.redact(`{"text":"a ${escaped} b"}`)).toBe('{"text":"a [REDACTED:FORGE_TOKEN] b"}')
  })

  test('JSON in JSON in JSON stays JSON at every level', () => {
    const inner = JSON.stringify({ password: 'Xk9#"mP2\\vL5n', note: forgeToken })
    const line = JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ c: inner }) }) })

    const redacted = JSON.parse(JSON.parse(JSON.parse(JSON.parse(redactor.redact(line)).a).b).c)

    expect(redacted).toEqual({ password: '[REDACTED:ENV_SECRET]', note: '[REDACTED:FORGE_TOKEN]' })
  })

  test('a value is classified by its key, by a name beside it and by the flag before it', () => {
    const secret = random.alnum(18)
    const line = JSON.stringify({
      clientSecret: secret,
      env: [{ name: 'SMTP_PASSWORD', value: secret }],
      args: ['--api-key', secret, '--verbose'],
      headers: { Cookie: `theme=dark; sid=${secret}`, 'X-Auth-Token': secret },
      title: secret,
    })

    expect(JSON.parse(redactor.redact(line))).toEqual({
      clientSecret: '[REDACTED:ENV_SECRET]',
      env: [{ name: 'SMTP_PASSWORD', value: '[REDACTED:ENV_SECRET]' }],
      args: ['--api-key', '[REDACTED:ENV_SECRET]', '--verbose'],
      headers: { Cookie: 'theme=[REDACTED:COOKIE]', 'X-Auth-Token': '[REDACTED:API_KEY_HEADER]' },
      title: secret,
    })
  })

  test('a key with escapes is decoded', () => {
    expect(redactor.redact('{"pass\\u0077ord":"Xk9mP2vL5n"}')).toBe('{"pass\\u0077ord":"[REDACTED:ENV_SECRET]"}')
  })

  test('a line with 150,000 secrets is redacted without overflowing the stack', () => {
    const line = JSON.stringify({ text: `${forgeToken}\n`.repeat(150_000) })

    expect(redactor.redact(line).match(/REDACTED/g)).toHaveLength(150_000)
  })

  test('a secret that is an object key is found', () => {
    expect(redactor.redact(`{"${forgeToken}":1}`)).toBe('{"[REDACTED:FORGE_TOKEN]":1}')
  })

  test('patterns skip signatures, encrypted reasoning and ids', () => {
    const line = JSON.stringify({
      signature: `${forgeToken}`,
      encrypted_content: `gAAAA-${forgeToken}`,
      id: forgeToken,
      tool_use_id: forgeToken,
      parentUuid: forgeToken,
    })

    expect(redactor.redact(line)).toBe(line)
  })

  test('an access key id is a credential, not an id', () => {
    const keyId = `AK${'IA'}${random.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`

    expect(redactor.redact(JSON.stringify({ aws_access_key_id: keyId }))).toBe(
      '{"aws_access_key_id":"[REDACTED:CLOUD_ACCESS_KEY_ID]"}',
    )
  })

  test('a line that is not JSON is redacted as free text', () => {
    expect(redactor.redact(`{"text":"cut off ${forgeToken}`)).toBe('{"text":"cut off [REDACTED:FORGE_TOKEN]')
    expect(redactor.redact(`plain ${forgeToken}`)).toBe('plain [REDACTED:FORGE_TOKEN]')
    expect(redactor.redact(`{"a":"bad \\x escape ${forgeToken}"}`)).toBe(
      '{"a":"bad \\x escape [REDACTED:FORGE_TOKEN]"}',
    )
    expect(redactor.redact('')).toBe('')
  })
})

describe('a second pass', () => {
  test.each([
    'token=[REDACTED:FORGE_TOKEN]',
    'password: "[REDACTED:ENV_SECRET]"',
    'Authorization: Bearer [REDACTED:BEARER_TOKEN]',
    'https://ada:[REDACTED:URL_CREDENTIALS]@forge.test',
    'https://[REDACTED:URL_CREDENTIALS]@forge.test',
    'Cookie: sid=[REDACTED:COOKIE]',
    '[REDACTED:ENV:MY_TOKEN]: abcdefghijkl1234567890',
    '[REDACTED:API_KEY_HEADER] = [REDACTED:ENV_SECRET]',
    '{"password":"[REDACTED:ENV_SECRET]","api_key":"x [REDACTED:JWT] y"}',
    `${keyFence('BEGIN')}\n[REDACTED:PRIVATE_KEY]\n${keyFence('END')}`,
  ])('a second pass changes nothing in %j', (text) => {
    expect(redactor.redact(text)).toBe(text)
    expect(redactor.redact(text)).toBe(text)
  })
})

test('markers are counted by label', () => {
  const counting = openRedaction({ known: () => [{ label: 'API_KEY', value: 'key-of-our-own-1' }] })

  counting.redact(`${forgeToken} and ${forgeToken} and key-of-our-own-1`)
  counting.redact('{"a":"nothing"}')

  expect(Object.fromEntries(counting.counts())).toEqual({ FORGE_TOKEN: 2, API_KEY: 1 })
})

function privateKey(lineBreak: string): string {
  const body = Array.from({ length: 5 }, () => random.base64(64))
  return [keyFence('BEGIN', 'RSA'), ...body, keyFence('END', 'RSA')].join(lineBreak)
}
