import { describe, expect, test } from 'vitest'
import { newMasterKey } from '../../../src/platform/vault/master-key.ts'
import { seal, unseal } from '../../../src/platform/vault/seal.ts'

const key = newMasterKey()
const place = { table: 'tokens', column: 'secret', id: '7' }
const open = (sealed: string, at = place): string => unseal([newMasterKey(), key], at, sealed)

describe('a sealed text', () => {
  test('opens at its own place, differs each time it is sealed, and shows nothing of the text', () => {
    const sealed = [seal(key, place, 'tök€n'), seal(key, place, 'tök€n')]
    expect(new Set(sealed).size).toBe(2)
    for (const text of sealed) {
      expect(text).toMatch(/^v1\.[0-9a-f]{16}\.[\w-]+$/)
      expect(open(text)).toBe('tök€n')
    }
    expect(open(seal(key, place, ''))).toBe('')
  })

  test.each([
    ['another row', { id: '8' }],
    ['another column', { column: 'other' }],
    ['another table', { table: 'others' }],
  ])('does not open in %s', (_about, other) => {
    const sealed = seal(key, place, 'a token')
    expect(() => open(sealed, { ...place, ...other })).toThrow('was changed, or was sealed for another row')
  })

  test('does not open when one of its characters was changed, and no error repeats the clear text', () => {
    const sealed = seal(key, place, 'a token')
    const start = sealed.lastIndexOf('.') + 1
    for (let at = start; at < sealed.length - 1; at++) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
      expect(() => open(changed)).toThrow('was changed')
    }
    expect(() => open('a token in clear')).toThrow(/^the sealed value in tokens.secret is not sealed$/)
    expect(() => open(sealed.slice(0, start + 8))).toThrow('is cut short')
    const foreign = `v1.${'0'.repeat(16)}.${sealed.slice(start)}`
    expect(() => open(foreign)).toThrow('by the key 0000000000000000, which this host does not have')
  })
})
