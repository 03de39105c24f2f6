import { expect, test } from 'vitest'
import { readImageSize } from './image-size.ts'

/** Image files of 37 × 21 pixels, written by Pillow. */
const FILES = {
  PNG: 'iVBORw0KGgoAAAANSUhEUgAAACUAAAAVCAAAAADkj3hyAAAAF0lEQVR4nGP8z0AEYCJG0aiqUVXDTBUAXqQBKb4E1mgAAAAASUVORK5CYII=',
  GIF: 'R0lGODdhJQAVAIEAAP///wAAAAAAAAAAACwAAAAAJQAVAEAILwABCBxIsKDBgwgTKlzIsKHDhxAjSpxIsaLFixgzatzIsaPHjyBDihxJsqRJkgEBADs=',
  'baseline JPEG':
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAAVACUBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAA/AKAAAAA//9k=',
  'progressive JPEG':
    '/9j/4AAQSkZJRgABAQAAAQABAAD//gALeHh4eHh4eHh4/9sAQwD//////////////////////////////////////////////////////////////////////////////////////8IACwgAFQAlAQERAP/EABUAAQEAAAAAAAAAAAAAAAAAAAAC/9oACAEBAAAAAaAAP//Z',
  'lossy WebP': 'UklGRjQAAABXRUJQVlA4ICgAAADwAgCdASolABUAP83m7XA/uDIrJWgD8DmJaQAAKUNt8AD+6RAAAAAA',
  'lossless WebP': 'UklGRh4AAABXRUJQVlA4TBEAAAAvJAAFAAfQ//73v/+BiOh/AAA=',
  'extended WebP':
    'UklGRmgAAABXRUJQVlA4WAoAAAAQAAAAJAAAFAAAQUxQSAoAAAABB9CxiAhERP8DVlA4IDgAAAAwAwCdASolABUAP83m7XA/uDIrJWgD8DmJZwDPoA8KmggAAP7UmUTHorX/bb34eawEtsPNcBEAAA==',
}

test.each(Object.entries(FILES))('reads the size of a file in the format %s', (_, base64) => {
  expect(readImageSize(Buffer.from(base64, 'base64'))).toEqual({ width: 37, height: 21 })
})

test.each(Object.entries(FILES))(
  'does not throw for a file in the format %s that is truncated at any byte',
  (_, base64) => {
    const bytes = Buffer.from(base64, 'base64')
    for (let length = 0; length < bytes.length; length += 1) {
      expect([undefined, { width: 37, height: 21 }]).toContainEqual(readImageSize(bytes.subarray(0, length)))
    }
  },
)

test('returns undefined for bytes of another format and for a size of 0', () => {
  expect(readImageSize(Buffer.from('<svg width="10" height="10"/>'))).toBeUndefined()
  const empty = Buffer.from(FILES.PNG, 'base64')
  empty.writeUInt32BE(0, 16)
  expect(readImageSize(empty)).toBeUndefined()
})
