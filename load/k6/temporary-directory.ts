import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nameTemporary, removeLeftOvers } from '../../common/left-overs.ts'

/** A directory that is removed when it is disposed of, and at the latest when this process exits. */
export interface TemporaryDirectory extends Disposable {
  readonly path: string
}

/** @throws the file system's error */
export async function createTemporaryDirectory(prefix: string, parent = tmpdir()): Promise<TemporaryDirectory> {
  removeLeftOvers(parent, prefix)
  const path = await mkdtemp(join(parent, nameTemporary(prefix)))
  const remove = () => rmSync(path, { recursive: true, force: true })
  process.on('exit', remove)
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', remove)
      remove()
    },
  }
}
