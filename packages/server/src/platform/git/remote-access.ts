import { childEnvironment } from '../process/environment.ts'
import { type GitAccess, runGit } from './git.ts'
import type { Credentials, RepositoryAddress } from './repository-address.ts'

/**
 * How git reaches one repository that is not ours. The operator's own configuration counts here and only here, because
 * that is where their credentials live; a call with this access never touches a working tree, so nothing in that
 * configuration (filters, above all) meets the repository's content.
 */
export async function remoteAccess(address: RepositoryAddress, signal?: AbortSignal): Promise<GitAccess> {
  const given = address.credentials
  const ownHelper = given?.password === undefined ? undefined : given
  return {
    transports: transports[address.transport],
    usesOperatorConfig: true,
    settings: [...stallSettings, ...(ownHelper === undefined ? [] : helperSettings(address))],
    environment: {
      ...(address.transport === 'local' ? {} : await sshEnvironment(signal)),
      ...(given === undefined ? {} : credentialEnvironment(address, given)),
    },
    secrets: given === undefined ? [] : secretsOf(given),
  }
}

/**
 * http is here because self-hosted forges on a private network still speak it, and whoever may name a repository may
 * name that one. From https no redirect leads down to it. The operator may rewrite a web address to an ssh one and the
 * other way round (`url.<base>.insteadOf`), nobody may rewrite one to a path.
 */
const transports: Record<RepositoryAddress['transport'], readonly string[]> = {
  https: ['https', 'ssh'],
  http: ['http', 'https', 'ssh'],
  ssh: ['ssh', 'https'],
  local: ['file'],
}

/** A connection that has gone silent for a minute is given up; others wait for the same mirror. */
const stallSettings = ['http.lowSpeedLimit=1', 'http.lowSpeedTime=60']

/**
 * Credentials from an address must show up neither in the list of processes, where a URL would put them, nor in a
 * file. So they travel in the environment to a helper of two lines, which answers for the address's own host and not
 * for one it redirects to. The empty helper first: it drops the operator's, who would be told to store them.
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
  // A name alone tells the operator's helper which of several passwords is meant.
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `credential.${new URL(address.url).origin}.username`,
    GIT_CONFIG_VALUE_0: given.username,
  }
}

/** As they are, and as they stand in a URL. Shorter ones would blot out ordinary words. */
function secretsOf({ username, password }: Credentials): string[] {
  const values = [username, password ?? ''].filter((value) => value.length >= 6)
  return values.flatMap((value) => [value, encodeURIComponent(value)])
}

/**
 * An ssh command that the operator chose is left as it is: it may name a key, or not be OpenSSH at all. It cannot ask
 * anything either, having no terminal and a deadline.
 */
async function sshEnvironment(signal: AbortSignal | undefined): Promise<Record<string, string>> {
  const inEnvironment = childEnvironment({ pass: ['GIT_SSH_COMMAND', 'GIT_SSH'] })
  if (inEnvironment.GIT_SSH_COMMAND !== undefined || inEnvironment.GIT_SSH !== undefined) return {}
  const configured = await runGit({
    operation: 'Reading the git configuration',
    subcommand: 'config',
    options: ['--default', '', '--get', 'core.sshCommand'],
    access: { transports: [], usesOperatorConfig: true },
    timeoutMs: 10_000,
    signal,
  })
  return configured.trim() === '' ? { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=30' } : {}
}
