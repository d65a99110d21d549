import { appendFileSync, chmodSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * An append-only file in which agents record their work: `<session> begin <n>` and `<session> end <n>`. The matrix counts
 * by this file and the agents' own transcripts, not by our database.
 */
export function openEffects(file) {
  appendFileSync(file, '')
  // Agents run as another user if the hosts run as root.
  chmodSync(file, 0o666)
  return {
    file,
    /** A prompt that records its begin and its end, with other work between them. */
    prompt: (tag, number, ...between) =>
      [`run echo ${tag} begin ${number} >> ${file}`, ...between, `run echo ${tag} end ${number} >> ${file}`].join('\n'),
    lines: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [tag, mark, number] = line.split(' ')
          return { tag, mark, number: Number(number), key: `${tag} ${number}` }
        }),
  }
}

/**
 * Compares the accepted prompts with the recorded work.
 *
 * - lost: no agent recorded the prompt or has it in its transcript. A recovery prompt that quotes it counts: only a host that took over
 *   a turn from a lost one quotes, because it cannot know whether the agent there received the prompt. Also a prompt that an agent did not finish without a
 *   recovery prompt to explain it.
 * - doubled: begun twice, or delivered to agents twice.
 * - overlaps: begun before an earlier prompt of the same session ended.
 * - disordered: sessions that did not begin their prompts in the order of acceptance.
 *
 * @param accepted `{ tag, number }` in the order of acceptance
 * @param options.mayBeInterrupted the round interrupts turns itself, so an unfinished prompt is not lost
 */
export function judge(effects, accepted, homes, { mayBeInterrupted = false } = {}) {
  const tags = new Set(accepted.map(({ tag }) => tag))
  const lines = effects.lines().filter(({ tag }) => tags.has(tag))
  const begun = countBy(lines.filter(({ mark }) => mark === 'begin').map(({ key }) => key))
  const ended = new Set(lines.filter(({ mark }) => mark === 'end').map(({ key }) => key))
  const delivered = readTranscripts(homes)
  const keys = accepted.map(({ tag, number }) => `${tag} ${number}`)
  const recoveries = new Map([...tags].map((tag) => [tag, delivered.recoveriesOf(tag)]))
  const verdict = { accepted: keys.length, lost: 0, doubled: 0, overlaps: countOverlaps(lines), interrupted: 0 }
  for (const [index, key] of keys.entries()) {
    const { tag } = accepted[index]
    const times = Math.max(begun.get(key) ?? 0, delivered.timesOf(key)) || (delivered.isQuoted(key) ? 1 : 0)
    if (times === 0) verdict.lost += 1
    if (times > 1) verdict.doubled += 1
    if (times === 0 || ended.has(key) || mayBeInterrupted) continue
    verdict.interrupted += 1
    recoveries.set(tag, recoveries.get(tag) - 1)
    if (recoveries.get(tag) < 0) verdict.lost += 1
  }
  return { ...verdict, disordered: countDisordered(lines, accepted) }
}

function countOverlaps(lines) {
  const openBySession = new Map()
  let overlaps = 0
  for (const { tag, mark, number } of lines) {
    const others = openBySession.get(tag) ?? new Set()
    openBySession.set(tag, others)
    if (mark === 'begin') others.add(number)
    else {
      others.delete(number)
      // A prompt that is still open and began after this one overlaps with it.
      overlaps += [...others].filter((other) => isAfter(lines, tag, other, number)).length
    }
  }
  return overlaps
}

function isAfter(lines, tag, later, earlier) {
  const begins = lines.filter((line) => line.tag === tag && line.mark === 'begin').map(({ number }) => number)
  return begins.lastIndexOf(later) > begins.indexOf(earlier)
}

function countDisordered(lines, accepted) {
  const places = new Map(accepted.map(({ tag, number }, place) => [`${tag} ${number}`, place]))
  const last = new Map()
  const disordered = new Set()
  for (const { tag, mark, key } of lines) {
    if (mark !== 'begin' || !places.has(key)) continue
    if (places.get(key) < (last.get(tag) ?? -1)) disordered.add(tag)
    last.set(tag, places.get(key))
  }
  return disordered.size
}

/** Every prompt in the agents' own transcripts, in any home. An entry that recovery restored counts once. */
function readTranscripts(homes) {
  const prompts = new Map()
  const quotes = new Set()
  const recoveries = new Map()
  for (const file of homes.flatMap(transcriptFiles)) {
    const recoveryUuids = new Set()
    let tag
    for (const line of readIfExists(file).split('\n')) {
      const { uuid, type, message } = readEntry(line)
      if (type !== 'user' || typeof message?.content !== 'string') continue
      const [, ofSession, number] = /echo (\S+) begin (\d+) >>/.exec(message.content) ?? []
      if (ofSession) tag = ofSession
      // A recovery prompt may quote the original prompt; the quote is no second delivery.
      if (message.content.startsWith('[Automated message from Yardmaster')) {
        recoveryUuids.add(uuid)
        if (ofSession) quotes.add(`${ofSession} ${number}`)
      } else if (ofSession) add(prompts, `${ofSession} ${number}`, uuid)
    }
    for (const uuid of recoveryUuids) add(recoveries, tag, uuid)
  }
  return {
    timesOf: (key) => prompts.get(key)?.size ?? 0,
    isQuoted: (key) => quotes.has(key),
    recoveriesOf: (tag) => recoveries.get(tag)?.size ?? 0,
  }
}

function transcriptFiles(home) {
  const runtimes = join(home, 'runtimes')
  const folders = listed(runtimes).map((session) => join(runtimes, session, 'transcripts'))
  return folders.flatMap((folder) => listed(folder).map((name) => join(folder, name))).filter(isOrdinary)
}

/** Hostile agents put pipes, devices and sparse files there, which would block this process. */
function isOrdinary(file) {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats?.isFile() === true && stats.size < 2 ** 28
}

function listed(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The file of a deleted session may disappear after it was listed. */
function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

/** The last line of a killed agent may be incomplete. */
function readEntry(line) {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}

function countBy(keys) {
  const counts = new Map()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

function add(sets, key, value) {
  if (!sets.has(key)) sets.set(key, new Set())
  sets.get(key).add(value)
}
