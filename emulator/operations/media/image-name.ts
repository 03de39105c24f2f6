import { createHash } from 'node:crypto'

export const MAX_IMAGE_SIDE_PX = 4096

/** Parameters from which the emulator draws an image. */
export interface ImageSpec {
  readonly width: number
  readonly height: number
  /** Seed of the picture, as 16 hexadecimal digits. */
  readonly pattern: string
}

const NAME = /^([1-9]\d{0,3})x([1-9]\d{0,3})-([0-9a-f]{16})-([0-9a-f]{12})\.png$/

/**
 * Formats the file name of an image. The name contains all parameters of the image, so the emulator stores nothing. A
 * check value that depends on the seed distinguishes generated names from other names, which get a 404.
 */
export function formatImageName(plan: ImageSpec, seed: number): string {
  const stem = `${plan.width}x${plan.height}-${plan.pattern}`
  return `${stem}-${computeCheckValue(stem, seed)}.png`
}

/** Parses the file name of an image generated with this seed. Returns undefined for any other name. */
export function parseImageName(name: string, seed: number): ImageSpec | undefined {
  const [, width = '', height = '', pattern = '', check] = NAME.exec(name) ?? []
  if (check === undefined || check !== computeCheckValue(`${width}x${height}-${pattern}`, seed)) return undefined
  return { width: Number(width), height: Number(height), pattern }
}

function computeCheckValue(stem: string, seed: number): string {
  return createHash('sha256').update(`${seed} ${stem}`).digest('hex').slice(0, 12)
}
