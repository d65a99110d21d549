export type Violation = { rule: 1 | 2 | 3 | 4 | 5 | 6; file: string; line: number; specifier: string; reason: string }

export function checkImports(root: string): { fileCount: number; violations: Violation[] }

export function describeViolation(violation: Violation): string
