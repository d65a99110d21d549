import { join } from 'node:path'
import { type SystemUser, systemUser } from '../../home/system-user.ts'
import { StartupError } from '../../startup-error.ts'
import { type BinaryPackage, findBinaryPackage } from './binary-package.ts'
import { createDataDirectory, hasDataDirectory, moveDataTo, resetPassword } from './data-directory.ts'
import { endOldServer } from './end-old-server.ts'
import { installBinaries } from './install-binaries.ts'
import type { SupervisorLog } from './keep-running.ts'
import { newPassword, readPassword, savePassword } from './password.ts'
import type { PostmasterPlan } from './postmaster.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { chooseServerFolder, noteServerFolder } from './server-folder.ts'
import { serverLog } from './server-log.ts'
import { serverSettings } from './server-settings.ts'
import { makeSocketDirectory, removeAbandonedSocketDirectory, socketPort } from './socket-directory.ts'
import { explainDiskFull } from './start-failure.ts'
import { orphanGraceSeconds } from './stop-when-orphaned.ts'

export type PreparedServer = {
  plan: PostmasterPlan
  password: string
  passwordFile: string
  /** Call it after the server has stopped. */
  release(): Promise<void>
}

type Options = {
  home: string
  log: SupervisorLog
  settings?: Record<string, string>
  binaryPackage?: string
  orphanGraceSeconds?: number
}

/** Everything a start of the server needs: programs, data, password, a directory for its socket. */
export async function prepareServer(options: Options): Promise<PreparedServer> {
  const { home, log } = options
  const source = findBinaryPackage(options.binaryPackage)
  const runAs = await systemUser('postgres', { onMade: log.info })
  const folder = await explainDiskFull(home, () => chooseServerFolder(home, runAs))
  if (!folder.isUnderHome) {
    log.info(
      `the database is in ${folder.path}: as root, PostgreSQL runs as the user ${runAs?.name}, who could not enter ${home} when the database was created`,
    )
  }
  return explainDiskFull(folder.path, async () => {
    const prepared = await prepareIn(folder.path, { ...options, source, runAs })
    await noteServerFolder(home, folder)
    return prepared
  })
}

async function prepareIn(
  folder: string,
  options: Options & { source: BinaryPackage; runAs: SystemUser | undefined },
): Promise<PreparedServer> {
  const { source, runAs, log } = options
  const data = join(folder, 'data')
  // Check this first: leave data that we cannot use untouched, with its server and programs.
  const hasData = await hasDataDirectory(data, { major: source.major, runAs })
  const abandonedSocketDirectory = (await readPostmasterFile(data))?.socketDirectory
  await endOldServer(data, log)
  if (abandonedSocketDirectory !== undefined) await removeAbandonedSocketDirectory(abandonedSocketDirectory)
  if (hasData && runAs !== undefined && (await moveDataTo(runAs, data)))
    log.info(`the database in ${data} now belongs to the user ${runAs.name}`)

  if (!hasData) refuseShellSyntax(folder)
  const binaries = await installBinaries(source, { folder, runAs })
  const passwordFile = join(options.home, 'postgres/password')
  const savedPassword = await readPassword(passwordFile)
  const password = savedPassword ?? newPassword()
  if (!hasData) {
    log.info(`creating a database in ${data}`)
    await createDataDirectory(data, { binaries, runAs, password })
  } else if (savedPassword === undefined) {
    log.warn(`the database's password was not in ${passwordFile}; setting a new one`)
    await resetPassword(data, { binaries, runAs, password })
  }
  // Save it only after the database has it, so that a saved password always works.
  if (savedPassword === undefined) await savePassword(passwordFile, password)

  const ownLog = serverLog(join(folder, 'postgres.log'))
  await ownLog.trim()
  const socket = await makeSocketDirectory(folder, runAs)
  const trimming = setInterval(
    () => void ownLog.trim().catch((error) => log.warn(`cannot trim ${ownLog.file}: ${error}`)),
    trimEveryMs,
  )
  trimming.unref()
  const plan = {
    program: binaries.postgres,
    data,
    socketDirectory: socket.path,
    port: socketPort,
    settings: serverSettings(data, options.settings),
    runAs,
    serverLog: ownLog,
    orphanGraceSeconds: options.orphanGraceSeconds ?? orphanGraceSeconds,
  }
  const release = async () => {
    clearInterval(trimming)
    await socket.remove()
  }
  return { plan, password, passwordFile, release }
}

const trimEveryMs = 60_000

/** initdb passes its own path to a shell, in double quotes. */
function refuseShellSyntax(folder: string): void {
  if (!/["$`]/.test(folder)) return
  throw new StartupError(
    `PostgreSQL cannot create a database in ${JSON.stringify(folder)}: the path must not contain ", $ or \`. Set YARDMASTER_HOME to another folder, or set DATABASE_URL.`,
  )
}
