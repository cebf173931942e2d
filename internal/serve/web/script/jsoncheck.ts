// Finds the first mistake in a JSON text. The messages of JSON.parse differ between
// browsers, and some have no position.

export type Expected = "value" | "name" | "colon" | "comma" | "end";

export interface Mistake {
  expected: Expected;
  line: number; // starts at 1
  column: number; // starts at 1
}

const space = /[ \t\r\n]*/y;
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

// checkJSON returns the first mistake, or null if the text is valid.
export function checkJSON(text: string): Mistake | null {
  let at = 0;
  const accept = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) {
      at = pattern.lastIndex;
    }
    return found;
  };
  const acceptCharacter = (character: string): boolean => {
    accept(space);
    const found = text[at] === character;
    if (found) {
      at++;
    }
    return found;
  };
  const mistake = (expected: Expected): Mistake => {
    const before = text.slice(0, at).split("\n");
    return { expected, line: before.length, column: (before.at(-1) ?? "").length + 1 };
  };

  const open: ("{" | "[")[] = []; // the objects and arrays around the position
  let isNew = false; // the innermost one has no members yet
  for (;;) {
    // A value, or the end of an empty object or array.
    const inner = open.at(-1);
    let isClosed = false;
    if (isNew && acceptCharacter(inner === "{" ? "}" : "]")) {
      open.pop();
      isClosed = true;
    } else if (inner === "{") {
      accept(space);
      if (!accept(string)) {
        return mistake("name");
      }
      if (!acceptCharacter(":")) {
        return mistake("colon");
      }
    }
    isNew = false;
    if (!isClosed) {
      if (acceptCharacter("{")) {
        open.push("{");
        isNew = true;
        continue;
      }
      if (acceptCharacter("[")) {
        open.push("[");
        isNew = true;
        continue;
      }
      if (!accept(string) && !accept(scalar)) {
        return mistake("value");
      }
    }
    // What follows a value.
    while (open.length > 0 && acceptCharacter(open.at(-1) === "{" ? "}" : "]")) {
      open.pop();
    }
    if (open.length === 0) {
      accept(space);
      return at === text.length ? null : mistake("end");
    }
    if (!acceptCharacter(",")) {
      return mistake("comma");
    }
  }
}
