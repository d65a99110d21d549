import { isIP, isIPv6 } from 'node:net'
import { childEnvironment } from '../process/environment.ts'
import { shellQuote } from '../process/shell-quote.ts'
import { type AllowedHosts, allHosts, type Pin } from './allowed-hosts.ts'
import { type GitAccess, runGit } from './git.ts'
import type { Credentials, RepositoryAddress } from './repository-address.ts'

/**
 * How git reaches a remote repository. Only these calls use the configuration of the operator, because it holds their
 * credentials. They never touch a working tree, so filters in that configuration never process content of the
 * repository.
 */
export async function remoteAccess(
  address: RepositoryAddress,
  { hosts = allHosts, signal }: { hosts?: AllowedHosts; signal?: AbortSignal | undefined } = {},
): Promise<GitAccess> {
  const pin = await hosts.pin(address)
  const given = address.credentials
  const ownHelper = given?.password === undefined ? undefined : given
  return {
    transports: transports[address.transport],
    usesOperatorConfig: true,
    settings: [
      ...webSettings,
      ...pinSettings(address, pin),
      ...(ownHelper === undefined ? [] : helperSettings(address)),
    ],
    environment: {
      ...(address.transport === 'local' ? {} : await sshEnvironment(pin, signal)),
      ...(given === undefined ? {} : credentialEnvironment(address, given)),
    },
    secrets: given === undefined ? [] : secretsOf(given),
  }
}

/**
 * http is allowed because self-hosted forges on private networks still use it, and a caller that may name a repository
 * may name that one. The operator may rewrite web addresses to ssh and vice
 * versa (`url.<base>.insteadOf`), but not to a path.
 */
const transports: Record<RepositoryAddress['transport'], readonly string[]> = {
  https: ['https', 'ssh'],
  http: ['http', 'https', 'ssh'],
  ssh: ['ssh', 'https'],
  local: ['file'],
}

/**
 * A redirect leads to an address that was not checked, such as one inside the operator's network. Give up a connection
 * after a minute of silence: other callers wait for the same mirror.
 */
const webSettings = ['http.followRedirects=false', 'http.lowSpeedLimit=1', 'http.lowSpeedTime=60']

/** Known to git since 2.37; an older one resolves the name itself. */
function pinSettings({ transport }: RepositoryAddress, pin: Pin | undefined): string[] {
  if (pin === undefined || isIP(pin.host) !== 0 || (transport !== 'http' && transport !== 'https')) return []
  const port = pin.port ?? (transport === 'http' ? '80' : '443')
  return [`http.curloptResolve=${pin.host}:${port}:${isIPv6(pin.address) ? `[${pin.address}]` : pin.address}`]
}

/**
 * Credentials from an address must appear neither in the process list, as they would in a URL, nor in a file. They
 * reach git through the environment and a two-line helper, which answers only for the host of the address and not for
 * one it redirects to. The empty helper comes first to disable the helper of the operator, which would store them.
 */
function helperSettings(address: RepositoryAddress): string[] {
  const answer = `printf "username=%s\\npassword=%s\\n" "$${usernameVariable}" "$${passwordVariable}"`
  return [
    'credential.helper=',
    `credential.${new URL(address.url).origin}.helper=!f() { test "$1" = get && ${answer}; }; f`,
  ]
}

const usernameVariable = 'YARDMASTER_GIT_USERNAME'
const passwordVariable = 'YARDMASTER_GIT_PASSWORD'

function credentialEnvironment(address: RepositoryAddress, given: Credentials): Record<string, string> {
  if (given.password !== undefined) return { [usernameVariable]: given.username, [passwordVariable]: given.password }
  // A user name alone selects one of several passwords in the operator's helper.
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `credential.${new URL(address.url).origin}.username`,
    GIT_CONFIG_VALUE_0: given.username,
  }
}

/** Plain and URL-encoded. Shorter values would mask ordinary words. */
function secretsOf({ username, password }: Credentials): string[] {
  const values = [username, password ?? ''].filter((value) => value.length >= 6)
  return values.flatMap((value) => [value, encodeURIComponent(value)])
}

/**
 * Keeps an ssh command that the operator configured: it may name a key, or not be OpenSSH. It cannot prompt either,
 * since it has no terminal and a deadline.
 */
async function sshEnvironment(pin: Pin | undefined, signal: AbortSignal | undefined): Promise<Record<string, string>> {
  const inEnvironment = childEnvironment({ pass: ['GIT_SSH_COMMAND', 'GIT_SSH'] })
  if (inEnvironment.GIT_SSH_COMMAND !== undefined) return pinnedSsh(inEnvironment.GIT_SSH_COMMAND, pin)
  // A program that may take no options: it resolves the name itself.
  if (inEnvironment.GIT_SSH !== undefined) return {}
  const configured = await runGit({
    operation: 'Reading the git configuration',
    subcommand: 'config',
    options: ['--default', '', '--get', 'core.sshCommand'],
    access: { transports: [], usesOperatorConfig: true },
    timeoutMs: 10_000,
    signal,
  })
  const ours = 'ssh -o BatchMode=yes -o ConnectTimeout=30'
  return configured.trim() === ''
    ? { GIT_SSH_COMMAND: ours, ...pinnedSsh(ours, pin) }
    : pinnedSsh(configured.trim(), pin)
}

/** The key of the host is still looked up under its name. */
function pinnedSsh(command: string, pin: Pin | undefined): Record<string, string> {
  if (pin === undefined) return {}
  const name = pin.port === undefined ? pin.host : `[${pin.host}]:${pin.port}`
  return {
    GIT_SSH_COMMAND: `${command} -o HostName=${shellQuote(pin.address)} -o HostKeyAlias=${shellQuote(name)}`,
  }
}
