import type { Requirement } from './requirement.ts'

const ADDRESS = 'an address under {base_url}/v1/images/ ending in an image file extension'

/** Section 2.4: the image generation result. */
export const imageResultRequirements = [
  {
    id: '2.4/created',
    section: '2.4',
    level: 'stated',
    quote: '| created | integer | <timestamp> |',
    checks: ['2.4/created'],
  },
  {
    id: '2.4/data',
    section: '2.4',
    level: 'stated',
    quote: '| data | array | Items: object with url (string)',
    checks: ['2.4/data'],
  },
  {
    id: '2.4/url-address',
    section: '2.4',
    level: 'stated',
    quote: 'an address under {base_url}/v1/images/',
    checks: ['2.4/url-address'],
  },
  {
    id: '2.4/url-extension',
    section: '2.4',
    level: 'stated',
    quote: 'ending in an image file extension',
    checks: ['2.4/url-extension'],
  },
  {
    id: '2.4/url-resolution',
    section: '2.4',
    level: 'convention',
    quote: ADDRESS,
    checks: ['2.4/url-resolves', '2.4/file-kind', '2.4/file-media-type'],
  },
  {
    id: '2.4/image-size',
    section: '2.4',
    level: 'convention',
    quote: ADDRESS,
    checks: ['2.4/image-size'],
  },
  { id: '2.4/url-key', section: '2.4', level: 'silent', quote: ADDRESS, checks: ['2.4/url-key'] },
] as const satisfies readonly Requirement[]
