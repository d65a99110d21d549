export const faults: readonly { name: string; what: string }[]
