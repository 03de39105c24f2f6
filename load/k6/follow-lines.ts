import { open } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

const LOOK_EVERY_MS = 200

/**
 * Calls `onLine` for each line that is added to a file, which need not be there yet.
 * @returns ends it, when all lines of then are read
 */
export function followLines(path: string, onLine: (line: string) => void): () => Promise<void> {
  const ending = new AbortController()
  let offset = 0
  let rest = ''
  const readOn = async (): Promise<void> => {
    const file = await open(path).catch(() => undefined)
    if (file === undefined) return
    try {
      const { size } = await file.stat()
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - offset), position: offset })
      offset += bytesRead
      const lines = (rest + buffer.subarray(0, bytesRead).toString('utf8')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onLine(line)
    } finally {
      await file.close()
    }
  }
  const following = (async () => {
    while (!ending.signal.aborted) {
      await readOn()
      await wait(LOOK_EVERY_MS, undefined, { signal: ending.signal }).catch(() => undefined)
    }
    await readOn()
  })()
  return () => {
    ending.abort()
    return following
  }
}
