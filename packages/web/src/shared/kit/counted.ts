/** A number with the words that agree with it: "1 job was", "2 jobs were". */
export function counted(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}
