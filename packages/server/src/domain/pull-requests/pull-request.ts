import type { App } from '../app.ts'
import { checkPullRequest } from './check-pull-requests.ts'
import type { PullRequestName } from './pull-request-store.ts'

/** The forge reports that something about the pull request changed. Does nothing unless a session follows it. */
export async function noteChange(app: App, { repo, number }: PullRequestName): Promise<void> {
  await checkPullRequest(app, { repo: repo.toLowerCase(), number })
}
