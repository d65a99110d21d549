import { spawn } from 'node:child_process'
import { exitCodeOf } from './prepare-error.mjs'

// Bounds our memory when a child prints for minutes. Long enough for any error message.
const keptOutputCharacters = 64 * 1024

// A grandchild can hold the pipe open after the child has exited; after this delay its output is dropped.
const pipeTimeoutMs = 1000

/** @type {NodeJS.Signals[]} */
const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a child until it exits and forwards our signals to it, so that no child outlives us.
 * The child inherits our output, unless `captures` is set: then the end of its output is returned. With `graceMs`, a
 * child that still runs this long after a signal is killed.
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
    const forward = (signal) => {
      stoppedBy = signal
      if (graceMs !== undefined) setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
      // At a terminal, Ctrl-C also reaches the child directly; it would take a second SIGINT as a forced stop.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
    }
    const stopListening = () => {
      for (const signal of forwardedSignals) process.off(signal, forward)
    }
    for (const signal of forwardedSignals) process.on(signal, forward)

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
      }, pipeTimeoutMs).unref()
    })
    child.once('close', (code, signal) => {
      stopListening()
      resolve({ exitCode: signal ? exitCodeOf(signal) : (code ?? 1), output, stoppedBy })
    })
  })
}
