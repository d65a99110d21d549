import { setTimeout as wait } from 'node:timers/promises'

/** Indexes until no work is left. The host indexes as well; a lock lets one of the two work at a time. */
export async function allIndexed(host, step) {
  const about = step.name === 'indexDocuments' ? 'document' : 'transcript'
  for (;;) {
    while (await step(host.app, { settleMs: 0 }));
    const mark = await host.app.db.selectFrom('search_marks').select('id').where('about', '=', about).executeTakeFirst()
    if (!mark) return
    await wait(20)
  }
}
