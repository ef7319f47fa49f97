"""Tell which animals a picture shows, with a convolutional network of Keras."""

import ast
import json
import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
import numpy as np
import pandas as pd
from keras.layers import BatchNormalization, Conv2D, Dense, Dropout, Flatten, Input, MaxPooling2D
from sklearn.model_selection import train_test_split

SIZE, KINDS, EPOCHS, BATCH, THRESHOLD = 256, 290, 1, 64, 0.5


def picture(name: str) -> np.ndarray:
    return keras.utils.img_to_array(keras.utils.load_img(f"images/{name}", target_size=(SIZE, SIZE))) / 255.0


def labels(categories: str) -> np.ndarray:
    """One number for each kind: 1 if it is in the picture."""
    found = np.zeros(KINDS, np.float32)
    found[[int(kind) - 1 for kind in ast.literal_eval(categories)]] = 1
    return found


if __name__ == "__main__":
    known = pd.read_csv("multilabel_classification/train.csv")
    X = np.array([picture(f"{name}.png") for name in known["id"]])
    y = np.array([labels(categories) for categories in known["categories"]])
    X_train, X_valid, y_train, y_valid = train_test_split(X, y, random_state=20, test_size=0.3)

    layers = [
        Input((SIZE, SIZE, 3)),
        Conv2D(16, 5, activation="relu"),
        BatchNormalization(),
        MaxPooling2D(),
        Dropout(0.2),
    ]
    for filters in (32, 64, 64):
        layers += [Conv2D(filters, 5, activation="relu"), MaxPooling2D(), BatchNormalization(), Dropout(0.2)]
    layers += [Flatten(), Dense(128, activation="relu"), Dropout(0.5), Dense(64, activation="relu"), Dropout(0.5)]
    model = keras.Sequential([*layers, Dense(KINDS, activation="sigmoid")])
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    model.fit(X_train, y_train, epochs=EPOCHS, validation_data=(X_valid, y_valid), batch_size=BATCH, verbose=2)

    with open("object_detection/eval.json") as file:
        names = [image["file_name"] for image in json.load(file)["images"]]
    rows = []
    for name in names:
        chances = model.predict(picture(name)[None], verbose=0)[0]
        found = [kind + 1 for kind in range(KINDS) if chances[kind] >= THRESHOLD]
        rows.append([name.removesuffix(".png"), " ".join(map(str, found)), 1])
    pd.DataFrame(rows, columns=["id", "categories", "osd"]).to_csv("submission.csv", index=False)
