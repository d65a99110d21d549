/** The log sentence for an MCP server whose tools the agent does not have, the same for every runtime. */
export function missingServer(name: string, problem = usual): string {
  return `The agent works without the tools of the MCP server ${name}: ${problem}`
}

const usual =
  'it did not start or did not answer. Check its command or address in the catalog, and start it by hand on this host.'

/** The problem of a server that demands a token which the agent does not have. */
export const asksForSignIn = 'it asks for a sign-in. Sign in to it, or give it a key in the catalog.'
