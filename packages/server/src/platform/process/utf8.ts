/** Drops an incomplete character at the end. */
export function withoutCutEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    return back < characterLength(byte) ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

/** Drops the rest of an incomplete character at the start. */
export function withoutCutStart(bytes: Buffer): Buffer {
  let start = 0
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start] ?? 0)) start++
  return bytes.subarray(start)
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000
}

function characterLength(firstByte: number): number {
  if (firstByte >= 0b1111_0000) return 4
  if (firstByte >= 0b1110_0000) return 3
  return firstByte >= 0b1100_0000 ? 2 : 1
}
