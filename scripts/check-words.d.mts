export function findWords(root: string): { file: string; line: number; word: string }[]

export function keepsWords(root?: string): boolean
