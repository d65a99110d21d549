import { limits } from '@yardmaster/contract/limits'
import { takeLockOfText } from '../../platform/db/advisory-locks.ts'
import type { Transaction } from '../../platform/db/database.ts'

/** Characters reserved for the timestamp, a counter and the hyphens after the title's words. */
const stampAndCounter = 24

/**
 * A free slug for a title: its words, then the time of creation, then a counter if that slug is taken. Transactions with
 * the same base are serialised: the advisory lock is held until the row with the slug is committed.
 */
export async function freeSlug(tx: Transaction, title: string, createdAt: Date): Promise<string> {
  const base = slugBase(title, createdAt)
  await takeLockOfText(tx, base)
  const taken = await tx
    .selectFrom('sessions')
    .select('slug')
    .where((is) => is.or([is('slug', '=', base), is('slug', 'like', `${base}-%`)]))
    .execute()
  const slugs = new Set(taken.map(({ slug }) => slug))
  if (!slugs.has(base)) return base
  let counter = 1
  while (slugs.has(`${base}-${counter}`)) counter += 1
  return `${base}-${counter}`
}

/** `Tidy the retry loop` at 18:09 on 22 August 2026 is `tidy-the-retry-loop-20260822-1809`. */
export function slugBase(title: string, createdAt: Date): string {
  const words = title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => latin[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, limits.slug - stampAndCounter)
    .replace(/^-+|-+$/g, '')
  const digits = createdAt.toISOString().replace(/\D/g, '')
  const stamp = `${digits.slice(0, 8)}-${digits.slice(8, 12)}`
  return words === '' ? `session-${stamp}` : `${words}-${stamp}`
}

/** Latin letters that NFKD does not decompose into a base letter and a mark. */
const latin: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}
