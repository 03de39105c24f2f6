import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Creates a directory level by level, because `mkdir` with `recursive` never returns for a path in /proc. */
export async function prepareDirectory(directory: string): Promise<void> {
  if (await tryCreateDirectory(directory)) return
  const parent = dirname(directory)
  if (parent !== directory) await prepareDirectory(parent)
  await mkdir(directory).catch(async (error: unknown) => {
    if (!(await isDirectory(directory))) throw error
  })
}

/** Creates one directory unless it exists. Returns false if the parent does not exist. */
async function tryCreateDirectory(directory: string): Promise<boolean> {
  try {
    await mkdir(directory)
    return true
  } catch (error) {
    if (await isDirectory(directory)) return true
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() === true
}
