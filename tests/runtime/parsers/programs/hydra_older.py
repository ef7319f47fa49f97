import hydra


@hydra.main(config_path="conf/config.yaml", strict=False)
def main(config):
    pass


if __name__ == "__main__":
    main()
