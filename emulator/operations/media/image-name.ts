import { createHash } from 'node:crypto'

/** Longest edge of an image in pixels. */
export const MOST_PIXELS_PER_EDGE = 4096

/** All that an image is drawn from. */
export interface ImagePlan {
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
export function imageName(plan: ImagePlan, seed: number): string {
  const stem = `${plan.width}x${plan.height}-${plan.pattern}`
  return `${stem}-${checkValue(stem, seed)}.png`
}

/** The plan of an image that an emulator with this seed gave out; undefined for every other name. */
export function readImageName(name: string, seed: number): ImagePlan | undefined {
  const [, width = '', height = '', pattern = '', check] = NAME.exec(name) ?? []
  if (check === undefined || check !== checkValue(`${width}x${height}-${pattern}`, seed)) return undefined
  return { width: Number(width), height: Number(height), pattern }
}

function checkValue(stem: string, seed: number): string {
  return createHash('sha256').update(`${seed} ${stem}`).digest('hex').slice(0, 12)
}
