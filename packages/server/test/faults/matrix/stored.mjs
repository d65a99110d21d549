/**
 * Compares the accepted prompts with the stored transcripts: each is stored once, as a prompt or quoted in a recovery
 * prompt, and no entry is stored twice.
 */
export async function judgeStored({ pool }, ids, accepted) {
  const { rows } = await pool.query(
    `select session_id::int, line from transcript_entries
     where session_id = any($1) and thread = 'main'
     order by session_id, sequence`,
    [ids],
  )
  const entries = rows.map(({ session_id, line }) => ({ session_id, ...parsed(line) }))
  const uuids = entries.map(({ uuid }) => uuid).filter(Boolean)
  const texts = entries.flatMap(({ type, message }) =>
    type === 'user' && typeof message?.content === 'string' ? [message.content] : [],
  )
  const [quoting, own] = [true, false].map((isQuoting) =>
    texts.filter((text) => text.startsWith('[Automated message') === isQuoting),
  )
  const mentions = (list, { tag, number }) =>
    list.filter((text) => text.includes(`echo ${tag} begin ${number} >>`)).length
  const missing = accepted.filter((one) => mentions(own, one) + mentions(quoting, one) === 0)
  const repeated = accepted.filter((one) => mentions(own, one) > 1)
  return [
    missing.length > 0 && `${missing.length} prompts are not in the stored transcript`,
    repeated.length > 0 && `${repeated.length} prompts are stored twice`,
    new Set(uuids).size !== uuids.length && 'an entry is stored twice',
    entries.some(({ isBroken }) => isBroken) && 'a stored line is not JSON',
  ].filter(Boolean)
}

function parsed(line) {
  try {
    return JSON.parse(line)
  } catch {
    return { isBroken: true }
  }
}
