import { idAndName } from '@yardmaster/contract/attachments/grammar'

/** The files whose paths a text has, each once. */
export function filesNamedIn(text: string): { id: string; name: string }[] {
  const found = [...text.matchAll(pattern)]
  return [...new Map(found.map(([, id = '', name = '']) => [id, { id, name }])).values()]
}

const pattern = new RegExp(`/attachments/${idAndName}`, 'gu')
