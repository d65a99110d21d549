import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What agents really did, in a file that they append to and nobody takes anything back from: `<session> begin <n>` and
 * `<session> end <n>`. Together with the agents' own transcripts it is counted outside the database.
 */
export function openEffects(file) {
  appendFileSync(file, '')
  return {
    file,
    /** A prompt that leaves its marks, with other work between them. */
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
 * Holds what was accepted against what happened.
 *
 * - lost: neither a mark nor a line in any agent's transcript. Also one that an agent had and did not finish, although
 *   nobody cut its turn short: no agent of its session was told to go on.
 * - doubled: begun twice, or given to agents twice.
 * - overlaps: begun while another of its session was still at work, which shows by the other's end coming later.
 * - disordered: sessions whose messages were not begun in the order in which they were accepted.
 *
 * @param accepted `{ tag, number }` in the order of acceptance
 * @param options.mayBeCut a caller stopped turns on purpose, so one that did not finish needs no other reason
 */
export function judge(effects, accepted, homes, { mayBeCut = false } = {}) {
  const tags = new Set(accepted.map(({ tag }) => tag))
  const lines = effects.lines().filter(({ tag }) => tags.has(tag))
  const begun = countBy(lines.filter(({ mark }) => mark === 'begin').map(({ key }) => key))
  const ended = new Set(lines.filter(({ mark }) => mark === 'end').map(({ key }) => key))
  const given = readTranscripts(homes)
  const keys = accepted.map(({ tag, number }) => `${tag} ${number}`)
  const recoveries = new Map([...tags].map((tag) => [tag, given.recoveriesOf(tag)]))
  const verdict = { accepted: keys.length, lost: 0, doubled: 0, overlaps: countOverlaps(lines), cut: 0 }
  for (const [index, key] of keys.entries()) {
    const { tag } = accepted[index]
    const times = Math.max(begun.get(key) ?? 0, given.timesOf(key))
    if (times === 0) verdict.lost += 1
    if (times > 1) verdict.doubled += 1
    if (times === 0 || ended.has(key) || mayBeCut) continue
    verdict.cut += 1
    recoveries.set(tag, recoveries.get(tag) - 1)
    if (recoveries.get(tag) < 0) verdict.lost += 1
  }
  return { ...verdict, disordered: countDisordered(lines, accepted) }
}

function countOverlaps(lines) {
  const atWork = new Map()
  let overlaps = 0
  for (const { tag, mark, number } of lines) {
    const others = atWork.get(tag) ?? new Set()
    atWork.set(tag, others)
    if (mark === 'begin') others.add(number)
    else {
      others.delete(number)
      // Whoever began after this one did so while it was at work.
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

/** Every prompt as the agents have it in their own files, on whichever disk; an entry that was restored counts once. */
function readTranscripts(homes) {
  const prompts = new Map()
  const recoveries = new Map()
  for (const file of homes.flatMap(transcriptFiles)) {
    const told = new Set()
    let tag
    for (const line of readIfThere(file).split('\n')) {
      const { uuid, type, message } = readEntry(line)
      if (type !== 'user' || typeof message?.content !== 'string') continue
      const [, ofSession, number] = /echo (\S+) begin (\d+) >>/.exec(message.content) ?? []
      if (ofSession) tag = ofSession
      // One that is told to go on may have the message quoted; that is not given to it.
      if (message.content.startsWith('[Automated message from Yardmaster')) told.add(uuid)
      else if (ofSession) add(prompts, `${ofSession} ${number}`, uuid)
    }
    for (const uuid of told) add(recoveries, tag, uuid)
  }
  return {
    timesOf: (key) => prompts.get(key)?.size ?? 0,
    recoveriesOf: (tag) => recoveries.get(tag)?.size ?? 0,
  }
}

function transcriptFiles(home) {
  const runtimes = join(home, 'runtimes')
  const folders = listed(runtimes).map((session) => join(runtimes, session, 'transcripts'))
  return folders.flatMap((folder) => listed(folder).map((name) => join(folder, name)))
}

function listed(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** That of a deleted session may go while we look. */
function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

/** The last line of an agent that was killed may be torn. */
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
