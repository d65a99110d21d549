import { join } from 'node:path'
import { type UnprivilegedUser, unprivilegedUser } from '../../home/unprivileged-user.ts'
import { type BinaryPackage, findBinaryPackage } from './binary-package.ts'
import { createDataDirectory, hasDataDirectory, resetPassword } from './data-directory.ts'
import { endOldServer } from './end-old-server.ts'
import { installBinaries } from './install-binaries.ts'
import type { SupervisorLog } from './keep-running.ts'
import { newPassword, readPassword, savePassword } from './password.ts'
import type { PostmasterPlan } from './postmaster.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { chooseServerFolder, noteServerFolder } from './server-folder.ts'
import { serverLog } from './server-log.ts'
import { serverSettings } from './server-settings.ts'
import { makeSocketDirectory, removeForsakenSocketDirectory, socketPort } from './socket-directory.ts'
import { explainDiskFull } from './start-failure.ts'

export type PreparedServer = {
  plan: PostmasterPlan
  password: string
  passwordFile: string
  /** Once the server has stopped. */
  release(): Promise<void>
}

type Options = { home: string; log: SupervisorLog; settings?: Record<string, string>; binaryPackage?: string }

/** Everything up to the point where the server can be started: programs, data, password, a place for its socket. */
export async function prepareServer(options: Options): Promise<PreparedServer> {
  const { home, log } = options
  const source = findBinaryPackage(options.binaryPackage)
  const runAs = await unprivilegedUser()
  const folder = await explainDiskFull(home, () => chooseServerFolder(home, runAs))
  if (!folder.isUnderHome) {
    log.info(
      `the database lies in ${folder.path}: as root, PostgreSQL runs as the user ${runAs?.name}, to whom ${home} was closed when the database was created`,
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
  options: Options & { source: BinaryPackage; runAs: UnprivilegedUser | undefined },
): Promise<PreparedServer> {
  const { source, runAs, log } = options
  const data = join(folder, 'data')
  // First of all: data that is not ours to run is left with its server and its programs.
  const hasData = await hasDataDirectory(data, { major: source.major, runAs })
  const forsaken = (await readPostmasterFile(data))?.socketDirectory
  await endOldServer(data, log)
  if (forsaken !== undefined) await removeForsakenSocketDirectory(forsaken)

  const binaries = await installBinaries(source, { folder, runAs })
  const passwordFile = join(options.home, 'postgres/password')
  const kept = await readPassword(passwordFile)
  const password = kept ?? newPassword()
  if (!hasData) {
    log.info(`creating a database in ${data}`)
    await createDataDirectory(data, { binaries, runAs, password })
  } else if (kept === undefined) {
    log.warn(`the database's password was not in ${passwordFile}; setting a new one`)
    await resetPassword(data, { binaries, runAs, password })
  }
  // After the database has it: a password that is noted here is one that opens.
  if (kept === undefined) await savePassword(passwordFile, password)

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
  }
  const release = async () => {
    clearInterval(trimming)
    await socket.remove()
  }
  return { plan, password, passwordFile, release }
}

const trimEveryMs = 60_000
