import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellQuote } from '../../../src/platform/process/shell-quote.ts'

test.each(['/home/ada/.yardmaster/api-key', 'https://a.example:8080/x', 'a@b', '50%', '1,2+3'])(
  '%s stays as it is',
  (text) => {
    expect(shellQuote(text)).toBe(text)
  },
)

test.each(['', ' ', "it's", '$HOME', '`id`', '"a"', 'a\nb', '*', '~', '\\', 'A=b', 'a;b', '!', '#a', 'žluť'])(
  'a shell reads %j back as one word',
  (text) => {
    const script = `printf '%s' ${shellQuote(text)}`
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(text)
  },
)

test('an assignment is quoted, so that a shell takes it for the name of a command', () => {
  expect(shellQuote('A=b')).toBe("'A=b'")
})
