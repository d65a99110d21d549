/**
 * For the environment of git. Since version 2.47 a commit leaves a process behind that looks after the repository in the
 * background, and so works in a folder that the test has begun to remove.
 */
export const gitWithoutMaintenance = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
}
