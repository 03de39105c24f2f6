import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes the directory of reports, so that a place that cannot be written is known before a run. Step by step: Node's own
 * `recursive` never ends below a file system like /proc, which says of whatever is to be made that it is not there.
 * @throws the file system's error
 */
export async function prepareDirectory(directory: string): Promise<void> {
  if (await isThereOrMade(directory)) return
  const parent = dirname(directory)
  if (parent !== directory) await prepareDirectory(parent)
  await mkdir(directory).catch(async (error: unknown) => {
    if (!(await isDirectory(directory))) throw error
  })
}

/** False where what it lies in is not there. */
async function isThereOrMade(directory: string): Promise<boolean> {
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
