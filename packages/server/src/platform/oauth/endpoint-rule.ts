/**
 * The rule for every address that a secret is sent to, or that a person is sent to for consent: https, a host, no user name or
 * password. There is no exception for loopback. Returns what is wrong, in words that follow the name of the endpoint.
 */
export function problemWithEndpoint(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not an address'
  const { protocol, hostname, username, password } = new URL(address)
  if (protocol !== 'https:') return 'is not an https address'
  if (hostname === '') return 'has no host'
  return username === '' && password === '' ? undefined : 'holds a user name or password'
}

export function isSecureEndpoint(address: string): boolean {
  return problemWithEndpoint(address) === undefined
}
