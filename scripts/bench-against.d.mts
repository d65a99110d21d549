export function benchAgainst(revision: string, names: readonly string[]): Promise<void>

export function sideBySide(results: { before: string[][]; after: string[][] }): string[]
