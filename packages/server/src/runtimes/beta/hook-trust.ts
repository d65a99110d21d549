import { z } from 'zod'
import type { JsonRpc } from '../json-rpc.ts'

/**
 * Trust entries for the hooks in this file and no others. Codex runs a hook only if the thread's configuration trusts its hash;
 * the flag that disables the check would trust the repository's hooks too.
 */
export async function trustHooks(
  rpc: JsonRpc,
  { hooksFile, cwd }: { hooksFile: string; cwd: string },
): Promise<Record<string, { trusted_hash: string }>> {
  const { data } = HookList.parse(await rpc.call('hooks/list', { cwds: [cwd] }))
  const ours = data.flatMap(({ hooks }) => hooks).filter(({ sourcePath }) => sourcePath === hooksFile)
  return Object.fromEntries(ours.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]))
}

const HookList = z.object({
  data: z.array(
    z.object({ hooks: z.array(z.object({ key: z.string(), currentHash: z.string(), sourcePath: z.string() })) }),
  ),
})
