import { createHash } from 'node:crypto'

/** Longest edge of an image in pixels. */
export const MAX_IMAGE_SIDE_PX = 4096

/** All that an image is drawn from. */
export interface ImageSpec {
  readonly width: number
  readonly height: number
  /** 16 hexadecimal digits. */
  readonly pattern: string
}

const NAME = /^([1-9]\d{0,3})x([1-9]\d{0,3})-([0-9a-f]{16})-([0-9a-f]{12})\.png$/

/**
 * The file name under which an image is served. It carries the plan of the image, so that nothing has to be stored, and a
 * check value made with the seed, so that a name that no answer gave is a 404.
 */
export function formatImageName(plan: ImageSpec, seed: number): string {
  const stem = `${plan.width}x${plan.height}-${plan.pattern}`
  return `${stem}-${computeCheckValue(stem, seed)}.png`
}

/** The plan of an image that an emulator with this seed gave out; undefined for every other name. */
export function parseImageName(name: string, seed: number): ImageSpec | undefined {
  const [, width = '', height = '', pattern = '', check] = NAME.exec(name) ?? []
  if (check === undefined || check !== computeCheckValue(`${width}x${height}-${pattern}`, seed)) return undefined
  return { width: Number(width), height: Number(height), pattern }
}

function computeCheckValue(stem: string, seed: number): string {
  return createHash('sha256').update(`${seed} ${stem}`).digest('hex').slice(0, 12)
}
