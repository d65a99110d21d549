import { expect, test } from 'vitest'
import { isNoexecIn } from '../../../src/platform/process/confinement-view.ts'

test('a path is noexec by its innermost mount, and by the last of two at one place', () => {
  const isNoexec = isNoexecIn(
    [
      '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
      '30 22 0:20 / /home\\040of\\040all rw,nosuid,noexec - tmpfs tmpfs rw',
      '31 30 0:21 / /home\\040of\\040all/tools rw - tmpfs tmpfs rw',
      '32 22 0:22 / /twice rw,noexec - tmpfs tmpfs rw',
      '33 32 0:23 / /twice rw - tmpfs tmpfs rw',
      'half a li',
    ].join('\n'),
  )
  const paths = ['/usr', '/home of all', '/home of all/tools/bin', '/home of all else', '/twice/file']
  expect(paths.map(isNoexec)).toEqual([false, true, false, false, false])
})
