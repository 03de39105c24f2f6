import { Server, Socket } from 'node:net'

// Preloaded into a command with `--import`. Throws an error that no code handles, as soon as the command opens a
// connection, listens, or reads a document.

const { FAIL_WITH, FAIL_AT } = process.env

function overflow(depth: number): number {
  return overflow(depth + 1) + 1
}

function fail(): void {
  if (FAIL_WITH === 'rejection') void Promise.reject(new Error('a rejection that nobody handles\n    at line 2'))
  if (FAIL_WITH === 'exception') throw new Error('an exception that nobody handles\n    at line 2')
  if (FAIL_WITH === 'overflow') overflow(0)
}

let hasFailed = false

/** Fails after the next call of a method. The method itself works. */
function failAfter<Name extends string>(target: Readonly<Record<Name, unknown>>, name: Name): void {
  const original = target[name]
  if (typeof original !== 'function') return
  Object.defineProperty(target, name, {
    value(...args: unknown[]): unknown {
      if (!hasFailed) setTimeout(fail, 100)
      hasFailed = true
      return Reflect.apply(original, this, args)
    },
  })
}

if (FAIL_AT === 'connect') failAfter(Socket.prototype, 'connect')
if (FAIL_AT === 'listen') failAfter(Server.prototype, 'listen')
if (FAIL_AT === 'parse') failAfter(JSON, 'parse')
