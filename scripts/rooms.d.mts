export const roomLines: readonly (readonly string[])[]
