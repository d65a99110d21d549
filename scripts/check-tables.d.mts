export type TableViolation = { rule: 7 | 8 | 9 | 10; file: string; line: number; table: string; reason: string }

export function checkTables(root: string): TableViolation[]

export function describeTableViolation(violation: TableViolation): string
