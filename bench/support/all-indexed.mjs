import { setTimeout as wait } from 'node:timers/promises'

/** Indexes until nothing is left. The host does the same meanwhile, and one of the two at a time. */
export async function allIndexed(host, step) {
  const about = step.name === 'indexDocuments' ? 'document' : 'transcript'
  for (;;) {
    while (await step(host.app, { settleMs: 0 }));
    const mark = await host.app.db.selectFrom('search_marks').select('id').where('about', '=', about).executeTakeFirst()
    if (!mark) return
    await wait(20)
  }
}
