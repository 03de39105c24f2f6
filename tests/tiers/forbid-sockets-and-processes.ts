import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

// Setup of the unit tier. It fails a test that opens a socket or starts a process, because such a test belongs to a
// different tier.

function forbid(what: string): () => never {
  return () => {
    throw new Error(`A unit test may not ${what}: name the file *.integration.test.ts.`)
  }
}

net.Server.prototype.listen = forbid('listen on a socket')
net.Socket.prototype.connect = forbid('open a connection')
dgram.Socket.prototype.bind = forbid('open a socket')
Object.assign(childProcess, {
  spawn: forbid('start a process'),
  spawnSync: forbid('start a process'),
  exec: forbid('start a process'),
  execFile: forbid('start a process'),
  execFileSync: forbid('start a process'),
  execSync: forbid('start a process'),
  fork: forbid('start a process'),
})
syncBuiltinESMExports()
