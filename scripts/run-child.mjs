import { spawn } from 'node:child_process'
import { exitCodeOf } from './prepare-error.mjs'

// Enough for any message worth reading; a child that prints for minutes must not fill our memory.
const keptOutputCharacters = 64 * 1024

// A grandchild can hold the pipe open after the child has ended; its words are not worth waiting for.
const lastWordsMs = 1000

/** @type {NodeJS.Signals[]} */
const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a child to its end and passes on the signals we are sent, so that nothing we started outlives us.
 * Its output goes to our own unless `captures`, when the end of it is returned. With `graceMs`, a child that goes on
 * after being told to stop is killed.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, captures?: boolean, graceMs?: number, onSpawn?: (pid: number) => void }} options
 * @returns {Promise<{ exitCode: number, output: string, stoppedBy: NodeJS.Signals | undefined }>}
 */
export function runChild(command, args, { cwd, captures = false, graceMs, onSpawn }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: captures ? ['ignore', 'pipe', 'pipe'] : 'inherit' })
    let output = ''
    /** @type {NodeJS.Signals | undefined} */
    let stoppedBy

    /** @param {NodeJS.Signals} signal */
    const passOn = (signal) => {
      stoppedBy = signal
      if (graceMs !== undefined) setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
      // At a terminal, Ctrl-C has reached the child already; a second SIGINT would mean "at once" to it.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
    }
    const stopListening = () => {
      for (const signal of passedOn) process.off(signal, passOn)
    }
    for (const signal of passedOn) process.on(signal, passOn)

    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-keptOutputCharacters)
      })
    }
    child.once('spawn', () => {
      if (child.pid !== undefined) onSpawn?.(child.pid)
    })
    child.once('error', (problem) => {
      stopListening()
      reject(problem)
    })
    child.once('exit', () => {
      setTimeout(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }, lastWordsMs).unref()
    })
    child.once('close', (code, signal) => {
      stopListening()
      resolve({ exitCode: signal ? exitCodeOf(signal) : (code ?? 1), output, stoppedBy })
    })
  })
}
