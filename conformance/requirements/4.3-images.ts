import type { Requirement } from './requirement.ts'

/** Section 4.3: generate images. */
export const imageRequirements = [
  {
    id: '4.3/endpoint',
    section: '4.3',
    level: 'stated',
    quote: 'POST {base_url}/v1/images/generations',
    excluded: 'used by each request of the section; 1/images-offered asks for nothing else',
  },
  {
    id: '4.3/purpose',
    section: '4.3',
    level: 'stated',
    quote: 'Purpose: generate images from a text description.',
    excluded: 'the heading of what follows; 1/images-offered checks it',
  },
  {
    id: '4.3/model',
    section: '4.3',
    level: 'stated',
    quote: '| model | string | yes | Model ID |',
    checks: ['4.3/model-missing', '4.3/model-wrong-type'],
  },
  {
    id: '4.3/prompt',
    section: '4.3',
    level: 'stated',
    quote: '| prompt | string | yes | Text description of the image |',
    checks: ['4.3/prompt-missing', '4.3/prompt-wrong-type', '4.3/unicode-prompt'],
  },
  {
    id: '4.3/prompt-empty',
    section: '4.3',
    level: 'silent',
    quote: '| prompt | string | yes | Text description of the image |',
    checks: ['4.3/prompt-empty'],
  },
  {
    id: '4.3/prompt-bytes',
    section: '4.3',
    level: 'silent',
    quote: '| prompt | string | yes | Text description of the image |',
    checks: ['4.3/invalid-utf8'],
  },
  {
    id: '4.3/n',
    section: '4.3',
    level: 'stated',
    quote: '| n | integer | no | Number of images; default 1 |',
    checks: ['4.3/n-wrong-type', '4.3/n-fraction', '4.3/n-one', '4.3/n-two', '4.3/n-four'],
  },
  {
    id: '4.3/n-lower-bound',
    section: '4.3',
    level: 'silent',
    quote: '| n | integer | no | Number of images; default 1 |',
    checks: ['4.3/n-zero'],
  },
  {
    id: '4.3/size',
    section: '4.3',
    level: 'stated',
    quote: '| size | string | no | Image size in the form <width>x<height> |',
    checks: ['4.3/without-size', '4.3/size-wrong-type', '4.3/size-malformed'],
  },
  {
    id: '4.3/size-of-its-own',
    section: '4.3',
    level: 'stated',
    quote: '| size | string | no | Image size in the form <width>x<height> |',
    checks: ['4.3/own-size'],
  },
  {
    id: '4.3/response',
    section: '4.3',
    level: 'stated',
    quote: 'Response: an image generation result (2.4).',
    checks: ['4.3/every-result'],
  },
  {
    id: '4.3/sizes',
    section: '4.3',
    level: 'silent',
    quote: 'The full list of allowed size values: not shown.',
    checks: ['4.3/size-usual', '4.3/size-odd', '4.3/size-zero'],
  },
] as const satisfies readonly Requirement[]
