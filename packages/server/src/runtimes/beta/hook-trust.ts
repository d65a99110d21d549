import { z } from 'zod'
import type { JsonRpc } from '../json-rpc.ts'

/**
 * Trust for the hooks in this file and for no others, to be given with the thread. Codex runs a hook only if somebody
 * has vouched for its hash; the flag that switches this off would let in those of the repository as well.
 */
export async function vouchForHooks(
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
