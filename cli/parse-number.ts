import { InvalidArgumentError } from 'commander'

/** A whole number of at least 1. */
export function parseCount(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > 2_147_483_647) {
    throw new InvalidArgumentError('It must be a whole number of at least 1')
  }
  return value
}

/** Credits as they were written, with as many digits as a price may have: money is not rounded. */
export function parseCreditsText(text: string): string {
  if (!/^\d+(\.\d{1,4})?$/.test(text)) {
    throw new InvalidArgumentError(
      'It must be a number of credits such as 2.5, with four digits after the point at most',
    )
  }
  return text
}
