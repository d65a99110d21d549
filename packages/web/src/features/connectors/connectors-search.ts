/** `authorized`: the server that a person just authorized, as the address after their consent names it. */
export type ConnectorsSearch = { find?: string; authorized?: string }

export function connectorsSearch(raw: Record<string, unknown>): ConnectorsSearch {
  const text = (name: string) => {
    const value = raw[name]
    return typeof value === 'string' && value !== '' ? { [name]: value } : {}
  }
  return { ...text('find'), ...text('authorized') }
}
