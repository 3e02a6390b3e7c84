// Comments as programs get them.
//
// Must never tell of a comment that is gone.
import { ClientObject, Collection, type Context } from "./context.ts";
import { WordError } from "./error.ts";

export class Comment extends ClientObject implements Pick<Word.Comment, "id" | "authorName" | "content" | "delete"> {
  readonly #id: () => string;

  constructor(context: Context, id: () => string) {
    super(context);
    this.#id = id;
  }

  get id(): string {
    return this.loaded("id");
  }

  get authorName(): string {
    return this.loaded("authorName");
  }

  get content(): string {
    return this.loaded("content");
  }

  protected override source(name: string): unknown {
    const comment = this.host.comments().find(({ id }) => id === this.#id());
    if (!comment) throw new WordError("ItemNotFound");
    return { id: comment.id, authorName: comment.author, content: comment.text }[name];
  }

  delete(): void {
    this.context.askOf("WordApi", 1.4, "Comment.delete", () => this.host.deleteComment(this.#id()));
  }
}

export class CommentCollection extends Collection<Comment> {
  protected override find(): Comment[] {
    return this.host.comments().map(({ id }) => new Comment(this.context, () => id));
  }
}
